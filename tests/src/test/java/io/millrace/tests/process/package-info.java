/** Drills with the built distribution's processes, which are killed and started again. */
package io.millrace.tests.process;
