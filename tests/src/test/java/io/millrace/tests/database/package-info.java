/**
 * What Millrace requires of a database server when its clients freeze, are cut off, or may not
 * write.
 */
package io.millrace.tests.database;
