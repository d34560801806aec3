/** One-time codes with which people open the dashboard without pasting a token. */
package io.millrace.manager.login;
