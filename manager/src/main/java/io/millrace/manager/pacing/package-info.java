/**
 * Decides how many workers a queue manager submits at each tick, and says why. Pure: the queue
 * manager program and the simulator call the same classes with figures and a recorded state.
 */
package io.millrace.manager.pacing;
