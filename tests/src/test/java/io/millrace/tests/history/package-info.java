/**
 * A central manager with years of history: the rows that each statement of its duties examines must
 * not depend on the amount of history.
 */
package io.millrace.tests.history;
