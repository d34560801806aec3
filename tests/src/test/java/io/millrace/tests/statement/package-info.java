/** Every statement of the central manager, and how MariaDB would execute it on large tables. */
package io.millrace.tests.statement;
