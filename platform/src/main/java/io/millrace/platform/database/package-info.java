/**
 * Access to one SQL database: opening and migrating it, transactions that repeat what may be
 * repeated, the database's clock, and what differs between H2 and MySQL or MariaDB. Used by the
 * packages named {@code store}; everybody else only passes the {@link
 * io.millrace.platform.database.Database} on.
 */
package io.millrace.platform.database;
