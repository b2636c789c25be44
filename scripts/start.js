/** `npm start`: builds what is out of date and serves in the same process. Arguments go to the server. */
import { build } from './build.js';

build();
await import(new URL('../dist/server.js', import.meta.url).href);
