/** A small, sound topology as its author wrote it: two sites, three nodes. Tests change it line by line. */

import { readYaml } from '../../sim/input/yaml.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';

export const smallYaml = `name: small
timings:
  pingIntervalMs: 1000
sites:
  - name: east
    type: master_communication
    domains: [root.test]
    nodes:
      - name: e1
        ip: 10.1.0.1
        instances:
          - { role: ws, srvidx: 11 }
          - { role: rpco, srvidx: 12, order: 1 }
          - { role: esg, srvidx: 13 }
          - { role: mdc, srvidx: 14, group: 14, order: 1 }
  - name: west
    type: communication
    domains: [acme.root.test]
    arbiters: [e1]
    nodes:
      - name: w1
        ip: 10.2.0.1
        instances:
          - { role: ws, srvidx: 21 }
          - { role: rpco, srvidx: 22 }
          - { role: sdc, srvidx: 23, group: 23, order: 1 }
      - name: w2
        ip: 10.2.0.2
        instances:
          - { role: esg, srvidx: 31 }
          - { role: rpco, srvidx: 32 }
          - { role: sdc, srvidx: 33, group: 23, order: 2 }
domains:
  - name: root.test
    users:
      - { login: admin, pwd: admin, roles: [admin] }
  - name: acme.root.test
    users:
      - { login: admin, pwd: admin, roles: [admin] }
      - { login: user, pwd: user }
    sipusers:
      - { login: '1001', phonenumber: '1001', user: user }
      - { login: '1002', phonenumber: '1002' }
    providers:
      - { code: telecom, username: acme, domain: sip.telecom.test, esg: 31 }
      - { code: backup, username: acme, domain: sip.backup.test, esg: 31 }
    features:
      - { prefix: '55', type: conference }
`;

export function smallMap(): ClusterMap {
  return new ClusterMap(readYaml('small.yaml', smallYaml, { schema: topologySchema }));
}
