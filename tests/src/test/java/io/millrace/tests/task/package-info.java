/** Tasks on a real database server: launches while managers start and fail. */
package io.millrace.tests.task;
