/** The entry point of the console. */
import { render } from 'preact';
import { App } from './app.js';
import { SHARED, sharedOf } from './board/link.js';
import { showChosenTheme } from './parts/theme.js';
import { SessionStore } from './server/session.js';
import { SharedPage } from './views/boards/shared-board.js';
import './style/base.css';
import './style/parts.css';
import './style/views.css';
import './style/explore.css';
import './style/charts.css';
import './style/boards.css';

const root = document.getElementById('console');
showChosenTheme();
const isShared = (): boolean => window.location.hash.startsWith(SHARED);
if (root !== null) {
  const page = isShared() ? (
    <SharedPage shared={sharedOf(window.location.hash)} />
  ) : (
    <App store={new SessionStore(sessionStorage, localStorage)} />
  );
  render(page, root);
}
// A link in the address of an open page is opened like one in a new page.
window.addEventListener('hashchange', () => {
  if (isShared()) window.location.reload();
});
