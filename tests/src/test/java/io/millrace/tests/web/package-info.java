/** Tests of every route of every server. */
package io.millrace.tests.web;
