/** Draws what simulations give as SVG. Pure; called by the simulator's other packages. */
package io.millrace.simulator.chart;
