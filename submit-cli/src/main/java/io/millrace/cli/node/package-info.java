/** Commands about nodes: their load and standing, draining, maintenance, decisions about weight. */
package io.millrace.cli.node;
