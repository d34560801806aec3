/**
 * A day of consumers under three arrangements: a static configuration, containers of consumers that
 * nodes move and multiply (Solution A of the publication, rejected there: H-260 to H-264), and
 * short-lived workers that the production policy starts. Called by the command line. Pure.
 */
package io.millrace.simulator.containers;
