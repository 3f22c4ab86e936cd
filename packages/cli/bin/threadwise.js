#!/usr/bin/env node
// What npm links as the command: it is there before anything is built, as npm wants it when it installs.
import '../dist/main.js';
