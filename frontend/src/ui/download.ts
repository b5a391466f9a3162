/**
 * Lets the browser keep what lies at an address.
 *
 * @param name of the file, where the server gives it none.
 */
export function saveAddress(address: string, name = ''): void {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}
