/** Deletions of queues while the central managers that carry them out are killed or frozen. */
package io.millrace.tests.drill.deletion;
