/** Every statement of the central manager, and how MariaDB would run it on large tables. */
package io.millrace.tests.statement;
