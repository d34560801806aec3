#!/bin/sh
# Prints the shops, one per line: the chunks of the order checker.
echo books
echo gifts
echo mobile
echo tickets
