/**
 * Checkers of the drills: pure functions of recorded facts, namely the journals that jobs write
 * themselves, samples of what the product shows, and the injected faults. Each returns the
 * violations as text; an empty list if there are none. One thread samples.
 */
package io.millrace.tests.drill.check;
