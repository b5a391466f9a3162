/** One setting as a plugin's JSON Schema declares it. */
export interface ParameterSchema {
  type?: string | string[]
  title?: string
  description?: string
  default?: unknown
  enum?: (string | number)[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  pattern?: string
  'x-unit'?: string
  'x-aspect'?: string
  'x-group'?: string
  'x-setting'?: string
}

/**
 * The settings an object schema declares, in its order.
 *
 * @param schema JSON Schema of `target.parameters` or `target.driver_options`, as the manifest has it.
 * @returns names with what is declared of each; nothing for a schema without properties.
 */
export function settingsOf(schema: Record<string, unknown>): [string, ParameterSchema][] {
  const properties = schema['properties']
  return typeof properties === 'object' && properties !== null
    ? Object.entries(properties as Record<string, ParameterSchema>)
    : []
}

/** What a setting is called by the product itself (`appendfsync`, `maxmemory`), as in names of targets. */
export function productName(name: string, property: ParameterSchema): string {
  return property['x-setting'] ?? name
}
