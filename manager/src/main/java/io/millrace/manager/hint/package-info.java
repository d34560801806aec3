/**
 * Passes wake-ups between central managers that share a database, so that what one is told another
 * acts on at once. Only hints: whoever misses one looks by the clock a little later.
 */
package io.millrace.manager.hint;
