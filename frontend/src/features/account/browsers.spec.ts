import { describe, expect, it } from 'vitest'

import { browserInWords } from './browsers'

describe('browserInWords', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox on Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/125.0 Safari/537.36 Edg/125.0', 'Edge on Windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605 Version/17.5 Safari/605', 'Safari on macOS'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit Safari/604', 'Safari on iOS'],
    ['Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/125.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['python-httpx/0.27', 'Python'],
    ['SomethingElse/1.0', 'SomethingElse'],
    [null, 'An unknown browser'],
  ])('says %s', (userAgent, words) => expect(browserInWords(userAgent)).toBe(words))
})
