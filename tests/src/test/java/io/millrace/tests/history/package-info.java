/**
 * A central manager beside years of history: what each statement of its duties examines must not
 * depend on how much was kept.
 */
package io.millrace.tests.history;
