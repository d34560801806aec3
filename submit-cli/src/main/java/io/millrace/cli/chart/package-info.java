/** Charts of benchmarks and simulations as SVG documents, all written by {@link SvgDocument}. */
package io.millrace.cli.chart;
