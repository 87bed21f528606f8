# One image for the whole cluster (`serve`, the default), a single node (`node NAME`), and a worker of sweeps (`worker`).
# Node 24 is the current LTS.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci
COPY src src
COPY sim sim
COPY test test
# The bundle holds the topologies that ship.
COPY scenarios/topologies scenarios/topologies
COPY image/prune image/prune
COPY .config/bundle.js .config/bundle.js
RUN npm run build && rm -rf dist/test && npm prune --omit=dev && npm sbom --sbom-format=cyclonedx --omit=dev --package-lock-only >sbom.json && image/prune .

FROM node:24-bookworm-slim
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Strowger" \
  org.opencontainers.image.description="A simulated multi-site telephony cluster" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION"
ENV NODE_ENV=production
WORKDIR /opt/strowger
COPY --from=build /build/package.json /build/sbom.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY image/entrypoint image/health LICENSE ./
COPY scenarios scenarios
RUN mkdir /data && chown node:node /data
USER node
# The only folders that it writes to: the root may be read-only.
VOLUME /data /tmp
STOPSIGNAL SIGTERM
EXPOSE 8080 8081 8082
# The control interface: open outside the container where STROWGER_CONTROL_TOKEN is set.
EXPOSE 8079
# The front of the first site; for a single node set HEALTH_PORT, or run one without a front with --no-healthcheck. With a
# certificate set HEALTH_PROTOCOL=https: the certificate is not checked, since it names the host and not 127.0.0.1.
ENV HEALTH_PORT=8080 HEALTH_PROTOCOL=http
HEALTHCHECK --interval=5s --timeout=2s --start-period=10s --retries=3 CMD ["/opt/strowger/health"]
ENTRYPOINT ["/opt/strowger/entrypoint"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data"]
