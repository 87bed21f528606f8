// Generated from src/http/routes by `npm run docs`.
import type { RequestOptions } from '../operation-types.ts';

export type MetadataNavigationAnswer = {
  /** Groups of entity classes, in display order */
  readonly groups: readonly {
    /** Name of the group: the second segment of its paths */
    readonly name: string;
    /** Label to show */
    readonly label: string;
    /** Classes of the group, in display order */
    readonly classes: readonly {
      /** Name of the class, as in the paths of its metadata */
      readonly class: string;
      /** Label to show */
      readonly label: string;
      /** Path of the collection */
      readonly path: string;
      /** Classes whose items belong to items of this class */
      readonly below: readonly string[];
    }[];
  }[];
} | unknown;

export type MetadataListViewAnswer = {
  /** Name of the class, as in the paths of its metadata */
  readonly class: string;
  /** Label to show */
  readonly label: string;
  /** Path of the collection */
  readonly path: string;
  /** Columns of the list, in display order */
  readonly columns: readonly {
    /** Name of the field; dotted within a group, such as `opts.title` */
    readonly name: string;
    /** Label to show */
    readonly label: string;
    /** Type of the value, for the choice of a control */
    readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'choice' | 'array' | 'any';
    /** What the field means */
    readonly hint?: string | undefined;
  }[];
  /** Names by which the list is ordered by default */
  readonly order: readonly string[];
  /** Default number of items of a page */
  readonly limit: number;
  /** Fields by which LOOKUP finds items; empty: the class has no LOOKUP */
  readonly lookup: readonly string[];
  /** Operations that the class has */
  readonly operations: readonly {
    /** Operation */
    readonly name: 'create' | 'list' | 'get' | 'patch' | 'delete' | 'lookup';
    /** HTTP method */
    readonly method: string;
    /** Path, with `<name>` for a parameter */
    readonly path: string;
    /** `documented`: the platform documents it; `public`: public facts name it; `chosen`: this product chose it */
    readonly source: 'documented' | 'public' | 'chosen';
  }[];
} | unknown;

export type MetadataFormAnswer = {
  /** Name of the class, as in the paths of its metadata */
  readonly class: string;
  /** Label to show */
  readonly label: string;
  /** Path of the collection */
  readonly path: string;
  /** Fields, in display order */
  readonly fields: readonly {
    /** Name of the field; dotted within a group, such as `opts.title` */
    readonly name: string;
    /** Label to show */
    readonly label: string;
    /** Type of the value, for the choice of a control */
    readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'choice' | 'array' | 'any';
    /** `in`: sent by the client, never shown; `out`: set by the platform; `inout`: both */
    readonly mode: 'in' | 'out' | 'inout';
    /** Whether POST must give it */
    readonly required: boolean;
    /** Whether it can be given to POST only and never changes */
    readonly fixed: boolean;
    /** Whether no two items of a domain may have the same value */
    readonly unique: boolean;
    /** Whether to hide what is typed */
    readonly secret: boolean;
    /** Value when POST does not give one */
    readonly default?: unknown | undefined;
    /** What the field means */
    readonly hint?: string | undefined;
    /** JSON Schema of the value */
    readonly schema: Readonly<Record<string, unknown>>;
  }[];
} | unknown;

export interface Metadata {
  /** Shows the navigation panel: the classes of entities that the domain has, in groups. (`GET /rest/v1/metadata/entities/nav.json`) */
  navigation(options?: RequestOptions): Promise<MetadataNavigationAnswer>;
  /** Shows the list view of a class: columns, order, operations. (`GET /rest/v1/metadata/entities/:class/tab.json`) */
  listView(className: string, options?: RequestOptions): Promise<MetadataListViewAnswer>;
  /** Shows the edit form of a class: fields and their possible values. (`GET /rest/v1/metadata/entities/:class/form.json`) */
  form(className: string, options?: RequestOptions): Promise<MetadataFormAnswer>;
}
