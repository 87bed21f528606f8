import { sitesRouted } from '../../../sim/oracles/rules/cluster/sites-routed.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';
