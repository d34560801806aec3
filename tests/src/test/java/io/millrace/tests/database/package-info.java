/** What Millrace asks of a database server whose clients freeze, are cut off, or may not write. */
package io.millrace.tests.database;
