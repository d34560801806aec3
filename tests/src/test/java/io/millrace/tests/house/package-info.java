/** Rules about the sources and the compiled classes. */
package io.millrace.tests.house;
