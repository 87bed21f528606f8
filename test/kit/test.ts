/**
 * AVA's `test`, whose tests run one after the other in their worker: one cluster at a time is in memory, and the guard of
 * virtual worlds stands for one of them. Workers run side by side; AVA's option `serial` would allow one worker at a time.
 */
import ava from 'ava';

export const test = ava.serial;
