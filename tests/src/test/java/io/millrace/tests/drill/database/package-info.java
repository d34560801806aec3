/**
 * Drills of the database that central managers share: frozen sessions, a temporarily read-only
 * server.
 */
package io.millrace.tests.drill.database;
