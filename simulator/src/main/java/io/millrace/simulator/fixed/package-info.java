/**
 * What a configuration fixed in advance would have needed, to compare adaptive pacing with. Pure;
 * called by the demo's summary and by the simulator.
 */
package io.millrace.simulator.fixed;
