/**
 * Access to one SQL database: opening and migrating it, transactions that are repeated where
 * possible, the database's clock, and the differences between H2 and MySQL or MariaDB. Statements
 * are in types named {@code …Dao}.
 */
package io.millrace.platform.database;
