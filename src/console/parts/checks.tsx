/** A list of things, some of which are chosen. */
interface ChecksProps<Value extends string | number> {
  readonly legend: string;
  readonly items: readonly { readonly value: Value; readonly text: string }[];
  readonly chosen: readonly Value[];
  /** How many may be chosen. */
  readonly most?: number;
  readonly onChange: (change: (before: readonly Value[]) => readonly Value[]) => void;
}

export function Checks<Value extends string | number>({
  legend,
  items,
  chosen,
  most = Number.POSITIVE_INFINITY,
  onChange,
}: ChecksProps<Value>) {
  const toggle = (value: Value): void =>
    onChange((before) =>
      before.includes(value) ? before.filter((one) => one !== value) : [...before, value],
    );
  return (
    <fieldset class="checks">
      <legend class="label">{legend}</legend>
      {items.map(({ value, text }) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            disabled={!chosen.includes(value) && chosen.length >= most}
            onChange={() => toggle(value)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
