/** The contract of segment stores, run on every one, and what only some of them can meet with. */
package io.millrace.tests.store;
