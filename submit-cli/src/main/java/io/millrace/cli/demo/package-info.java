/**
 * The demo: replays a real day of event rates through five queues, watches, checks what the workers
 * wrote, and sums up. Started by {@code millrace up --demo} only.
 */
package io.millrace.cli.demo;
