/**
 * What people do with the events of a queue wherever they lie: asks every queue node that holds a
 * segment, at once, and puts the answers together. The web routes call it.
 */
package io.millrace.manager.event;
