/** How weight moves among queue nodes: what nodes ask, what is recorded, what is shown. */
package io.millrace.api.balancing;
