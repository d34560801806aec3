package io.millrace.cli.node;

/** What kind of node is meant where both have one of that name. */
enum NodeKind {
  QUEUE,
  EXECUTION
}
