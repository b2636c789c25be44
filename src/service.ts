/** Puts the core together: stores, authentication and the life of a request, on an HTTP server. */
import type { Server } from 'node:http';
import { createApp } from './app.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import type { FailureCount } from './auth/failure-count.ts';
import { toNetwork } from './auth/network.ts';
import { createPasswordCheck } from './auth/password-check.ts';
import { createPasswordHasher, type PasswordHasher, type ScryptParameters } from './auth/password.ts';
import { createThrottle } from './auth/throttle.ts';
import { createTokenUseNotes } from './auth/token-use.ts';
import { createVerifiedCache, type VerifiedCache } from './auth/verified-cache.ts';
import { createWorkQueue } from './auth/work-queue.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
