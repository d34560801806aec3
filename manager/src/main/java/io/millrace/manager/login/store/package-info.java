/** The rows of login codes. */
package io.millrace.manager.login.store;
