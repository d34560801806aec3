/**
 * What a live queue recorded, run again under its own and under other settings: arrivals and
 * workers as far as the record tells them, and the policies of the queue managers. Called by the
 * command line; pure but for reading the record.
 */
package io.millrace.simulator.replay;
