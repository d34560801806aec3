/** Every key of a definition changes something, or is refused with the reason. */
package io.millrace.tests.definition;
