/**
 * Drills of the database that central managers share: frozen sessions, writes refused for a while.
 */
package io.millrace.tests.drill.database;
