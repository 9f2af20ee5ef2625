/** Light or dark: the system's theme until the user chooses one. */
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'light' | 'dark';

const NAME = 'quarry-theme';

const chosen = (): Theme | null => {
  const stored = localStorage.getItem(NAME);
  return stored === 'light' || stored === 'dark' ? stored : null;
};

const ofSystem = (query: MediaQueryList): Theme => (query.matches ? 'dark' : 'light');

export function useTheme(): { readonly theme: Theme; readonly toggle: () => void } {
  const [query] = useState(() => window.matchMedia('(prefers-color-scheme: dark)'));
  const [theme, setTheme] = useState<Theme>(() => chosen() ?? ofSystem(query));
  useEffect(() => {
    const follow = (): void => {
      if (chosen() !== null) return;
      showTheme(ofSystem(query));
      setTheme(ofSystem(query));
    };
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, [query]);
  useEffect(() => showTheme(theme), [theme]);
  return {
    theme,
    toggle: () => {
      const next = theme === 'dark' ? 'light' : 'dark';
      localStorage.setItem(NAME, next);
      showTheme(next);
      setTheme(next);
    },
  };
}

const showTheme = (theme: Theme): void => {
  document.documentElement.dataset.theme = theme;
};

/** Applies the chosen theme. Must run before the first drawing. */
export function showChosenTheme(): void {
  const theme = chosen();
  if (theme !== null) showTheme(theme);
}
