/** The dashboard in a real browser. */
package io.millrace.tests.browser;
