export type { ApiDocument, ApiOperation } from './api-document.js';
export { apiDocument, type DescribedEndpoint, type Limit } from './document.js';
export { OPERATIONS } from './operations.js';
export { apiPage } from './page/page.js';
export { PAGE_STYLE } from './page/style.js';
