/** The one JSON mapping that every part of Millrace uses. */
package io.millrace.api.json;
