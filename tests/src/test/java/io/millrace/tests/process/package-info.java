/** Drills with processes of the built distribution, which are killed and restarted. */
package io.millrace.tests.process;
