/** All operations of the core by their ids. The programs add the operations of the extras. */
import { auditOperations } from './audit.ts';
import type { Operations } from './operation.ts';
import { passwordOperations } from './passwords.ts';
import { projectOperations } from './projects.ts';
import { staticOperations } from './static.ts';
import { statusOperations } from './status.ts';
import { summaryOperations } from './summary.ts';
import { tokenOperations } from './tokens.ts';
import { userOperations } from './users.ts';

type OperationSettings = Parameters<typeof userOperations>[0] & Parameters<typeof tokenOperations>[0];

export function createOperations(settings: OperationSettings): Operations {
  return {
    ...tokenOperations(settings),
    ...userOperations(settings),
    ...passwordOperations(settings),
    ...projectOperations,
    ...auditOperations,
    ...summaryOperations,
    ...statusOperations,
    ...staticOperations,
  };
}
