/** The contract of segment stores, run on every store, and tests that apply only to SQL stores. */
package io.millrace.tests.store;
