/** `/api/v1/openapi.json`: the API document, which is also a file below `/static/`. */
import { operation } from '../../api/operation.ts';
import { custom } from '../../api/replies.ts';
import type { Reply } from '../../http/message.ts';
import { answerFile } from '../../resources/static.ts';

export const API_DOCUMENT_KEY = 'openapi.json';

export const documentOperations = {
  readApiDescription: operation({
    method: 'GET',
    path: '/api/v1/openapi.json',
    access: 'public',
    replies: custom((reply: Reply) => reply),
    refuses: ['noSuchFile', 'rangeNotSatisfiable', 'preconditionFailed'],
    handle: (services, { request }) => answerFile(services, API_DOCUMENT_KEY, request),
  }),
};
