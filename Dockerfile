# One image for the whole cluster (`serve`, the default) and for a single node (`node NAME`).

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci
COPY src src
COPY sim sim
COPY test test
RUN npm run build && rm -rf dist/test && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /opt/strowger
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY image/entrypoint image/health ./
COPY scenarios scenarios
COPY docs docs
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 8081 8082
# The control interface: open outside the container where STROWGER_CONTROL_TOKEN is set.
EXPOSE 8079
# The front of the first site; for a single node set HEALTH_PORT, or run one without a front with --no-healthcheck. With a
# certificate set HEALTH_PROTOCOL=https: the certificate is not checked, since it names the host and not 127.0.0.1.
ENV HEALTH_PORT=8080 HEALTH_PROTOCOL=http
HEALTHCHECK --interval=5s --timeout=2s --start-period=10s --retries=3 CMD ["/opt/strowger/health"]
ENTRYPOINT ["/opt/strowger/entrypoint"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data"]
