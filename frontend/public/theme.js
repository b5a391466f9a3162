// Runs before the first paint, so that a remembered theme never flashes the other one.
;(function () {
  var choice = null
  try {
    choice = localStorage.getItem('weighhouse-theme')
  } catch {
    choice = null
  }
  var dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
