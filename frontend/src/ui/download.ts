/** Lets the browser keep what lies at an address, under the name the server gives it. */
export function saveAddress(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
