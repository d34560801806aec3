/** Tasks on a real database server: what is launched while managers come and go. */
package io.millrace.tests.task;
